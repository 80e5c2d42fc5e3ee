// Writes a line per proxied request. The agent writes one under the same request id; the API server's audit log has it.
import type { Logger } from "../../platform/telemetry/index.ts";
import { proxyErrors } from "./errors.ts";
import { clientGone } from "./exchange.ts";
import type { FinishedRequest, RequestLog } from "./ports.ts";

export function createRequestLog(log: Logger): RequestLog {
  return {
    isVerbose: log.isLevelEnabled("debug"),
    write({ error, ...request }) {
      const level = chooseLevel({ error, ...request });
      if (!log.isLevelEnabled(level)) return;
      if (!error) log[level](request, request.isUpgrade ? "upgraded connection ended" : "proxied request ended");
      else if (error === clientGone) log[level](request, "client hung up");
      else log[level]({ ...request, err: error }, "proxied request failed");
    },
  };
}

function chooseLevel({ error, isUpgrade, isLong, status }: FinishedRequest): "debug" | "info" | "warn" {
  if (!error || error === clientGone) return isUpgrade ? "info" : "debug";
  // Each restart of an agent or a hub cuts the watches through it, and their clients begin others.
  if (isLong && (status === 200 || status === 101)) return "info";
  // Clients ask again and again while a cluster is offline: the end of its link in the log is enough. Callers who are
  // held to limits are told all the time, and would fill the log at everybody's cost: audit records and metrics have
  // it.
  return proxyErrors.is(error, "PROXY_NOT_CONNECTED") || error.httpStatus === 429 ? "debug" : "warn";
}
