/** Who is asking, once the hub knows. */
export interface Principal {
  readonly name: string;
  readonly admin: true;
}

export interface Access {
  /** Only when this start made it; nothing can show it again. */
  readonly firstAdminToken?: string;
  /** Throws AUTH_REQUIRED or AUTH_INVALID. Answers at once when it can: it is on the path of every request. */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the server's hook before any route that needs one runs. */
    principal: Principal;
  }
}
