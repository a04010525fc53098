"""The duality gap of problems on chains: what it is made of for each loss, and the certificate that claims it."""
