"""HTTP requests to providers of models and to other services: transport, retries, circuit breaker."""
