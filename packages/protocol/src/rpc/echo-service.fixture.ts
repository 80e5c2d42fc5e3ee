// A service with every kind of call, put together at run time so that no .proto of ours is there for tests only.
import { create, createFileRegistry, type DescMessage, type DescService, type Message } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

export type Note = Message & { data: Uint8Array; count: number };

const file = create(FileDescriptorProtoSchema, {
  name: "test/echo.proto",
  package: "test.v1",
  syntax: "proto3",
  messageType: [
    {
      name: "Note",
      field: [
        {
          name: "data",
          number: 1,
          jsonName: "data",
          type: FieldDescriptorProto_Type.BYTES,
          label: FieldDescriptorProto_Label.OPTIONAL,
        },
        {
          name: "count",
          number: 2,
          jsonName: "count",
          type: FieldDescriptorProto_Type.INT32,
          label: FieldDescriptorProto_Label.OPTIONAL,
        },
      ],
    },
  ],
  service: [
    {
      name: "EchoService",
      method: [
        { name: "Once", inputType: ".test.v1.Note", outputType: ".test.v1.Note" },
        { name: "Down", inputType: ".test.v1.Note", outputType: ".test.v1.Note", serverStreaming: true },
        {
          name: "Both",
          inputType: ".test.v1.Note",
          outputType: ".test.v1.Note",
          clientStreaming: true,
          serverStreaming: true,
        },
      ],
    },
  ],
});
const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));

export const EchoService: DescService = registry.getService("test.v1.EchoService") as DescService;
const NoteSchema: DescMessage = registry.getMessage("test.v1.Note") as DescMessage;

export function note(count: number, data: Uint8Array = new Uint8Array()): Note {
  return create(NoteSchema, { count, data } as never) as Note;
}

/** The client that `createClient(EchoService, …)` gives, with the types that a generated service would have. */
export interface EchoClient {
  once(request: Note, options?: CallOptions): Promise<Note>;
  down(request: Note, options?: CallOptions): AsyncIterable<Note>;
  both(requests: AsyncIterable<Note>, options?: CallOptions): AsyncIterable<Note>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}
