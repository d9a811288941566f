"""A real S3 server with one bucket, until its stdin ends. Says where it listens."""

import json
import sys

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = "http://%s:%d" % (host, port)
keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
boto3.client("s3", endpoint_url=endpoint, **keys).create_bucket(Bucket="team")
print(json.dumps({"endpoint": endpoint}), flush=True)
sys.stdin.read()
server.stop()
