"""Inference on chains: the best labelings, sums over all of them, and masks of what is not allowed.

Arrays alone, one sequence at a time. K labels are the numbers 0 to K - 1; `scores` (T, K) holds the score of each label
at each token, those of the start and the end included, and `transitions` (K, K) that of each pair [from, to]:

    score(s) = sum_t scores[t, s_t] + sum_(t > 0) transitions[s_(t - 1), s_t]

What is not allowed has the score -inf. Every sequence has a token at least. Time is O(T K^2), memory O(T K).
"""
