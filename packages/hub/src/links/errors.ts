import { FairleadError } from "@fairlead/kernel";

export function certificateRequired(): FairleadError {
  return new FairleadError({
    code: "LINK_CERTIFICATE_REQUIRED",
    message: "A link needs a client certificate of this hub.",
    hint: "Enroll first with a join token from `fairlead cluster add` or `fairlead cluster show`.",
    httpStatus: 401,
  });
}

export function certificateUntrusted(reason: string): FairleadError {
  return new FairleadError({
    code: "LINK_CERTIFICATE_UNTRUSTED",
    message: `The client certificate isn't valid here: ${reason}.`,
    hint: "It comes from another hub or has ended: enroll again. See that the clocks of both sides are right.",
    httpStatus: 401,
  });
}

export function linkRequestInvalid(reason: string): FairleadError {
  return new FairleadError({
    code: "LINK_REQUEST_INVALID",
    message: `This isn't the request for a link: ${reason}.`,
    hint: "An agent of Fairlead asks right; look at what stands between it and the hub.",
    httpStatus: 400,
  });
}

export function hubStopping(): FairleadError {
  return new FairleadError({
    code: "LINK_HUB_STOPPING",
    message: "The hub is stopping and takes no new links.",
    hint: "Agents come back by themselves.",
    httpStatus: 503,
    retryable: true,
  });
}

export function helloMismatch(told: string, cluster: string): FairleadError {
  return new FairleadError({
    code: "LINK_HELLO_MISMATCH",
    message: `The agent says that it is of cluster "${told}", its certificate is for "${cluster}".`,
    hint: "Use one state folder or Secret per agent.",
    httpStatus: 400,
  });
}

export function protocolUnsupported(versions: readonly number[]): FairleadError {
  return new FairleadError({
    code: "LINK_PROTOCOL_UNSUPPORTED",
    message: `The agent speaks no protocol version that this hub speaks (it offers: ${versions.join(", ") || "none"}).`,
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    httpStatus: 400,
  });
}
