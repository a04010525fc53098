"""Regularizers, a file each."""

from empirisk.regularizers.elastic_net import ElasticNet

__all__ = ["ElasticNet"]
