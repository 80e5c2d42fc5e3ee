import { canaryName } from "../harness.ts";
import type { Deed, DeedKind } from "./deed.ts";
import { readLeases, readObject } from "./read-object.ts";

/** A configuration whose output says the turn, beside one that is the canary. */
export const tofuDeeds: DeedKind = {
  kind: "tofu",
  make({ namespace }, target, turn): Deed {
    const variables = { turn, secret: `\${secret:${namespace}/${canaryName}/value}` };
    // The output of a program of the configuration is shown.
    const isBroken = turn % 6 === 4;
    const files = { "main.tf": isBroken ? `${configuration}${broken}` : configuration };
    const spec = { name: target, namespace, source: { files }, variables, outputs: { secret: `${target}-outputs` } };
    const end = isBroken ? "failed" : "succeeded";
    return { spec, end, lastLine: /^tofu: the Secret \S+ with the outputs is /, numberedLines };
  },
  async check(ground, target, turns) {
    const said = (await readObject(ground, `secrets/${target}-outputs`))?.data?.["turn"];
    const turn = said === undefined ? undefined : Number(Buffer.from(said, "base64").toString());
    if (turn === undefined ? turns.includes(-1) : turns.includes(turn)) return [];
    return [`the outputs of ${target} have turn ${turn}, and not one of ${turns.join(", ")}`];
  },
  async findLeftovers(ground) {
    const leases = await readLeases(ground);
    return leases
      .filter(({ metadata, spec }) => metadata.name.startsWith("lock-tfstate-") && spec?.holderIdentity)
      .map(({ metadata, spec }) => `${metadata.name} is left to ${spec?.holderIdentity}`);
  },
};

const numberedLines = 400;
const says = `n=0; while [ $n -lt ${numberedLines} ]; do
      seq -f "numbered %.0f of ${numberedLines}" $((n+1)) $((n+10)); n=$((n+10)); sleep 0.05
    done`;
const configuration = `
variable "turn" { type = number }
variable "secret" {
  type      = string
  sensitive = true
}
resource "terraform_data" "turn" {
  input = var.turn
}
resource "terraform_data" "slow" {
  triggers_replace = var.turn
  provisioner "local-exec" {
    command = <<-END
    ${says}
    END
  }
}
output "turn" { value = terraform_data.turn.output }
output "secret" {
  value     = var.secret
  sensitive = true
}
`;
const broken = `
resource "terraform_data" "broken" {
  triggers_replace = var.turn
  provisioner "local-exec" {
    command     = "echo \\"$SECRET\\" >&2; exit 1"
    environment = { SECRET = nonsensitive(var.secret) }
  }
}
`;
