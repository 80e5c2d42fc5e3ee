import { type Role, resetCodes, type StreamAcceptor, unheard } from "@fairlead/protocol";

/** Gives each stream that the hub opens to the room that serves its target. */
export function routeStreams(options: {
  roles: readonly Role[];
  kubernetes: StreamAcceptor;
  rpc: StreamAcceptor;
}): StreamAcceptor {
  const { roles, kubernetes, rpc } = options;
  const servesKubernetes = roles.includes("proxy");
  return (stream) => {
    const { target } = stream.open;
    if (target === "kubernetes" && servesKubernetes) return kubernetes(stream);
    if (target === "rpc") return rpc(stream);
    stream.reset(resetCodes.unknownTarget, "This agent doesn't serve that.");
    return unheard(stream);
  };
}
