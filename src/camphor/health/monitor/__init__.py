"""The health monitor: what a wearable reads, what of it can be true, what is abnormal, when the person is told."""
