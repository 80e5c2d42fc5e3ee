import { z } from "zod";

// Agents check more closely than this schema.
export const gitSourceSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(2_000)
      .describe("URL without credentials: `https://HOST/PATH`, `ssh://USER@HOST/PATH` or `USER@HOST:PATH`"),
    commit: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "must be a whole commit id")
      .optional()
      .describe("Full commit ID. Either `commit` or `ref` is required"),
    ref: z
      .string()
      .min(1)
      .max(250)
      .optional()
      .describe("Branch or tag, resolved when the command runs. Either `commit` or `ref` is required"),
    credentials: z
      .union([
        z.strictObject({
          username: z.string().optional().describe("User name, or a reference to one in a Secret"),
          password: z
            .string()
            .describe(`Reference to the password or token in a Secret: \${secret:NAMESPACE/NAME/KEY}`),
        }),
        z.strictObject({
          privateKey: z.string().describe(`Reference to the SSH key in a Secret: \${secret:NAMESPACE/NAME/KEY}`),
        }),
      ])
      .optional()
      .describe("Credentials for the repository, as references to Secrets of the cluster (default: none)"),
    knownHosts: z.string().optional().describe("Lines of a known_hosts file, or a reference to them. Required for SSH"),
    subPaths: z
      .array(z.string())
      .min(1)
      .max(100)
      .readonly()
      .optional()
      .describe("Folders of the repository to fetch (default: all)"),
    submodules: z
      .enum(["refuse", "ignore"])
      .optional()
      .describe("What to do when the repository has submodules, which are never fetched (default `refuse`)"),
  })
  .meta({ id: "GitSource", description: "A git repository at one commit" });
