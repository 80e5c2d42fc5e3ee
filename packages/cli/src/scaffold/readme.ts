import type { Blueprint } from "./blueprint.ts";
import { poolsOf } from "./pools.ts";
import { joinTokenSecret, type Request } from "./request.ts";

export function writeReadme({ type, name, profile, answers }: Request, { byHand }: Blueprint): string {
  const pools = poolsOf(profile).map((pool) => pool.name);
  return `# ${name}

OpenTofu code for a cluster of the type ${type} that meets the profile ${profile.name}. \`fairlead cluster scaffold\`
wrote it. It was never applied to a real cloud, and it was never checked against the schemas of its providers: read the
plan before you apply it, and try it where nothing can be lost.

## Apply it

    tofu init
    tofu plan -out plan
    tofu apply plan

Sign in to your provider first, as its documentation says. \`terraform.tfvars.json\` holds the values of the variables.

## Let the agent join

The join token stands in no file here and not in the state. The agent's pods wait until its Secret is there:

    fairlead cluster add ${name} --ttl 1d --token-out ./${name}.join-token
    kubectl --namespace fairlead create secret generic ${answers["join_token_secret"] ?? joinTokenSecret} --from-file=token=./${name}.join-token
    fairlead doctor --profile ${profile.name}

Keep the token's file out of this folder's repository, and delete it after that.

## What is left to you

The profile asks for the node pools: ${pools.join(", ")}.

${byHand.map((line) => `- ${line}`).join("\n")}
- A backend for the state: without one it is a file in this folder.
`;
}
