// The peer of the live picture, as a team writes it by hand: an informer of `@kubernetes/client-node` that forwards its
// events over a WebSocket. It dials again a second after a cut, and starts its informer again after an error. Events
// while there is no connection go nowhere; with `sendsAllAgain` all that the informer has is sent over each new
// connection.
import { CoreV1Api, KubeConfig, type KubernetesObject, makeInformer } from "@kubernetes/client-node";
import { WebSocket } from "ws";
import { serveParent } from "../harness/forked-peer.ts";

serveParent({
  async open(options: { kubeconfig: string; hubPort: number; sendsAllAgain: boolean }) {
    const { kubeconfig, hubPort, sendsAllAgain } = options;
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, "/api/v1/configmaps", () => api.listConfigMapForAllNamespaces());
    let socket: WebSocket | undefined;
    const send = (type: "applied" | "deleted", object: KubernetesObject) =>
      socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ type, object }));
    const connect = () => {
      socket = new WebSocket(`ws://127.0.0.1:${hubPort}`, { perMessageDeflate: false });
      socket.on("open", () => {
        if (sendsAllAgain) for (const object of informer.list()) send("applied", object);
      });
      socket.on("error", () => undefined);
      socket.on("close", () => setTimeout(connect, 1_000));
    };
    informer.on("add", (object) => send("applied", object));
    informer.on("update", (object) => send("applied", object));
    informer.on("delete", (object) => send("deleted", object));
    informer.on("error", () => setTimeout(() => void informer.start(), 1_000));
    connect();
    while (socket?.readyState !== WebSocket.OPEN) await new Promise((resolve) => setTimeout(resolve, 10));
    await informer.start();
  },
});
