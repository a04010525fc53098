"""Chunks that tags stand for, B-NP I-NP O ..., and how well predicted chunks agree with the true ones."""

from empirisk.chains.chunks.places import SCHEMES
from empirisk.chains.chunks.score import ChunkScore, chunk_score, score_chunks

__all__ = ["SCHEMES", "ChunkScore", "chunk_score", "score_chunks"]
