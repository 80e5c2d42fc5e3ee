"""The official Kubernetes client for Python through the hub: what its own users do with it, checked.

Usage: python-client.py KUBECONFIG NAMESPACE POD PORT. Prints one JSON object with what it saw.
"""
import base64
import json
import sys
import threading

from kubernetes import client, config, watch
from kubernetes.stream import portforward, stream

kubeconfig, namespace, pod, port = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
config.load_kube_config(config_file=kubeconfig)
api = client.CoreV1Api()
# Upgraded calls change the client that they are given, so they get one of their own.
streams = client.CoreV1Api(client.ApiClient())


def list_nodes():
    return [node.metadata.name for node in api.list_node().items]


def watch_config_maps():
    """Creates and deletes an object while watching, and tells the events it caused."""
    first = api.list_namespaced_config_map(namespace)

    def change():
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="from-python"))
        api_of_thread = client.CoreV1Api(client.ApiClient())
        api_of_thread.create_namespaced_config_map(namespace, body)
        api_of_thread.delete_namespaced_config_map("from-python", namespace)

    changer = threading.Thread(target=change)
    events = []
    watcher = watch.Watch()
    changer.start()
    for event in watcher.stream(
        api.list_namespaced_config_map,
        namespace,
        resource_version=first.metadata.resource_version,
        timeout_seconds=30,
    ):
        if event["object"].metadata.name != "from-python":
            continue
        events.append(event["type"])
        if event["type"] == "DELETED":
            watcher.stop()
    changer.join()
    return events


def open_exec(command, stdin):
    return stream(
        streams.connect_get_namespaced_pod_exec,
        pod,
        namespace,
        command=command,
        stdin=stdin,
        stdout=True,
        stderr=True,
        tty=False,
        _preload_content=False,
    )


def execute(command):
    session = open_exec(command, stdin=False)
    session.run_forever(timeout=30)
    return {"stdout": session.read_stdout(), "stderr": session.read_stderr(), "code": session.returncode}


def execute_with_stdin(size):
    """Sends a body with its length before it, since this client's protocol cannot end standard input."""
    body = base64.b64encode(bytes(range(256)) * (size // 256)).decode()
    session = open_exec(["head", "-c", str(len(body))], stdin=True)
    for start in range(0, len(body), 32768):
        session.write_stdin(body[start : start + 32768])
    received = ""
    while session.is_open() and len(received) < len(body):
        session.update(timeout=30)
        received += session.read_stdout(timeout=1) if session.peek_stdout() else ""
    session.close()
    return received == body


def forward_port():
    forward = portforward(streams.connect_get_namespaced_pod_portforward, pod, namespace, ports=str(port))
    connection = forward.socket(port)
    connection.setblocking(True)
    connection.settimeout(30)
    connection.sendall(b"GET /from-python HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n")
    answer = b""
    while chunk := connection.recv(65536):
        answer += chunk
    connection.close()
    return {"answer": answer.decode(), "error": forward.error(port)}


print(
    json.dumps(
        {
            "nodes": list_nodes(),
            "events": watch_config_maps(),
            "exec": execute(["sh", "-c", "echo out; echo err >&2; exit 7"]),
            "stdinArrived": execute_with_stdin(1 << 20),
            "forward": forward_port(),
            "log": api.read_namespaced_pod_log(pod, namespace),
        }
    )
)
