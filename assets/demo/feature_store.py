"""Features of customers, computed with futures as they come in; one model needs more memory than a worker has."""

import os
import random
import time

from distributed import as_completed


def load_customer(number):
    time.sleep(0.05 + random.random() * 0.1)
    return {"customer": number, "orders": [number % 7 + i for i in range(number % 5 + 1)]}


def features(customer):
    time.sleep(0.08)
    orders = customer["orders"]
    if customer["customer"] % 37 == 11:
        raise ZeroDivisionError("customer %d has no visits" % customer["customer"])
    return {"customer": customer["customer"], "mean": sum(orders) / len(orders), "largest": max(orders)}


def merge(parts):
    time.sleep(0.1)
    return sorted(parts, key=lambda part: part["customer"])


def train(batch, depth):
    time.sleep(0.6 + 0.1 * depth)
    return len(batch) * depth


def train_too_large(batch):
    """Stands for a model that the system kills for its memory."""
    time.sleep(0.5)
    os._exit(137)


def compute_features(client, customers):
    loaded = client.map(load_customer, customers)
    made = client.map(features, loaded)
    good = [future for future in as_completed(made) if future.status == "finished"]
    return client.submit(merge, good)


def search_depth(client, batch):
    models = [client.submit(train, batch, depth) for depth in range(1, 9)]
    return max(client.gather(models))


def main(client, cluster, repeats=2):
    client.wait_for_workers(2)
    for day in range(repeats):
        batch = compute_features(client, range(day * 100, day * 100 + 90))
        batch.result()
        time.sleep(2)
    cluster.scale(4)
    search_depth(client, batch)
    time.sleep(6)
    client.submit(train_too_large, batch).exception()
    search_depth(client, compute_features(client, range(300, 340)))
    time.sleep(1)
