"""The failing story: features of customers as futures. The store of profiles is flaky, some customers never visited, one model
needs more memory than a worker has, and a price has a comma in it. Without these, the same job is a healthy one."""

import os
import time

from distributed import as_completed, span

WORKERS, THREADS, MEMORY = 3, 2, "2GB"
SETTINGS = {}
USER, TEAM = "grace", "growth"
HEALTHY = 0
asked = set()


def fetch_profile(customer, flaky):
    """From a service that drops the first connection for some."""
    time.sleep(0.12)
    if flaky and customer % 6 == 3 and customer not in asked:
        asked.add(customer)
        raise ConnectionResetError("profiles.internal:443 closed the connection while customer %d was read" % customer)
    visits = None if flaky and customer % 29 == 11 else customer % 13 + 1
    return {"customer": customer, "visits": visits, "orders": [customer % 7 + i for i in range(customer % 5 + 1)]}


def per_visit(profile):
    return sum(profile["orders"]) / profile["visits"]


def make_features(profile):
    time.sleep(0.25)
    return {"customer": profile["customer"], "spent": per_visit(profile), "largest": max(profile["orders"])}


def collect(features):
    time.sleep(0.2)
    return sorted(features, key=lambda one: one["customer"])


def gradient(batch, depth):
    time.sleep(0.4 + 0.08 * depth)
    return len(batch) / (depth + 1)


def train(batch, depth):
    loss = [gradient(batch, depth) for _ in range(3)]
    return {"depth": depth, "loss": min(loss)}


def train_deep(batch, depth):
    """Stands for a model that the system kills for its memory."""
    time.sleep(2.0)
    os._exit(137)


def parse_price(text):
    return float(text)


def score(model, price):
    time.sleep(0.3)
    return parse_price(price) / (1 + model["loss"])


def features_of(client, customers, flaky):
    profiles = client.map(fetch_profile, customers, flaky=flaky, retries=4, pure=False)
    made = client.map(make_features, profiles)
    good = [future for future in as_completed(made) if future.status == "finished"]
    return client.submit(collect, good)


def search_depth(client, batch, depths):
    models = client.map(train, [batch] * len(depths), depths, pure=False)
    return min(client.gather(models), key=lambda model: model["loss"])


def main(client, size):
    client.wait_for_workers(WORKERS)
    flaky = size != HEALTHY
    with span("features"):
        batch = features_of(client, range(150), flaky)
        batch.result()
    client.log_event("progress", {"step": "features", "customers": 150})
    with span("training"):
        model = search_depth(client, batch, range(1, 13))
        client.log_event("progress", {"step": "training", "loss": model["loss"]})
        if flaky:
            client.submit(train_deep, batch, 40).exception()
    for _ in range(size):
        with span("features"):
            batch = features_of(client, range(150, 260), flaky)
            batch.result()
        with span("training"):
            model = search_depth(client, batch, range(1, 13))
    with span("scoring"):
        prices = ["12.50", "7.99", "12,50" if flaky else "12.49", "3.00"] * 6
        scores = client.map(score, [model] * len(prices), prices, pure=False)
        list(as_completed(scores))
    time.sleep(1)
