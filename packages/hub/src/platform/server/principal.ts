import type { FastifyRequest } from "fastify";

/** The port through which the listeners learn who asks, and what they may do. The people's wing answers it. */
export interface SignedIn {
  /** Throws or rejects when nobody is signed in. From memory when it can: it is on the path of every request. */
  authenticate(authorization: string | undefined): FastifyRequest["principal"] | Promise<FastifyRequest["principal"]>;
  /** Throws ACCESS_DENIED. */
  require(principal: FastifyRequest["principal"], request: { readonly verb: string; readonly resource: string }): void;
}
