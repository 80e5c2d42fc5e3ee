// POST /agent/v1/enroll carries its two messages as proto-JSON (docs/PROTOCOL.md §9). Members that this side doesn't
// know are for newer peers and ignored. A text that can't be read throws an error that quotes what was sent, so the
// error must not be shown or kept.
import { create, fromJson, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import {
  type EnrollRequest,
  EnrollRequestSchema,
  type EnrollResponse,
  EnrollResponseSchema,
} from "./gen/fairlead/identity/v1/enroll_pb.ts";

export const enrollPath = "/agent/v1/enroll";

export function formatEnrollRequest(request: MessageInitShape<typeof EnrollRequestSchema>): JsonValue {
  return toJson(EnrollRequestSchema, create(EnrollRequestSchema, request));
}

export function parseEnrollRequest(json: unknown): EnrollRequest {
  return fromJson(EnrollRequestSchema, json as JsonValue, { ignoreUnknownFields: true });
}

export function formatEnrollResponse(response: MessageInitShape<typeof EnrollResponseSchema>): JsonValue {
  return toJson(EnrollResponseSchema, create(EnrollResponseSchema, response));
}

export function parseEnrollResponse(json: unknown): EnrollResponse {
  return fromJson(EnrollResponseSchema, json as JsonValue, { ignoreUnknownFields: true });
}
