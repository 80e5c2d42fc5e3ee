import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addParameterOptions, type ParameterOptions, readParameters } from "../templates/index.ts";
import { addRunOptions, type RunOptions, startRuns } from "./start-runs.ts";

export function addRunTemplate(run: Command, open: OpenContext): void {
  const command = run
    .command("template")
    .description("Run a template")
    .examples("fairlead run template web --set replicas=3 --cluster east --wait")
    .argument("<template>", "Name of the template");
  addRunOptions(addParameterOptions(command)).action(
    (name: string, options: RunOptions & ParameterOptions, command: Command) => {
      const context = open(command);
      return startRuns(context, {
        options,
        read: async () => ({
          kind: "template",
          spec: { name, parameters: await readParameters(context, { name, options }) },
        }),
      });
    },
  );
}
