import { parseArgs } from "node:util";

export type DemoOptions = {
  /** Undefined: two clusters made for the demo. */
  readonly ownKubeconfig: string | undefined;
  /** Take the Kubernetes programs from their makers' releases instead of building them. */
  readonly download: boolean;
  /** More than one share a database, behind a balancer. */
  readonly hubs: number;
  readonly show: Show;
  readonly afterwards:
    | { readonly kind: "stay" }
    | { readonly kind: "stop" }
    | { readonly kind: "exec"; readonly command: string };
};

/**
 * `links`: kubectl, cables and the live picture. `commands`: releases, configurations of OpenTofu, and stacks of both.
 * `doctor`: a cluster that is fit, one with mistakes, and what puts them right. `argocd`: applications of a managed and
 * of an autonomous cluster, in the Argo CD of a third.
 */
export type Show = "links" | (typeof shows)[number];

const shows = ["argocd", "commands", "doctor"] as const;

export const usage = `usage: npm run demo [-- OPTIONS]

  --once               show everything, check it, stop, exit 0
  --exec 'CMD'         run CMD once all is ready, with KUBECONFIG (through the hub), DIRECT_KUBECONFIG
                       (straight to the API servers), FAIRLEAD_CONFIG, and kubectl and fairlead on PATH;
                       then stop and exit with its code
  --kubeconfig FILE    use your own cluster (the file's current context) instead of two made for the demo
  --hubs N             N hubs (3 to 5) on one PostgreSQL behind a plain TCP balancer, one of which is killed
  --commands           show what commands do: a release in both clusters whose agent is killed, a configuration of
                       OpenTofu that is planned and approved, and a stack
  --doctor             show whether clusters are fit to run workloads: five mistakes in west, the fixes that the doctor
                       prints, and an addon that Argo CD installs
  --argocd             show Argo CD over two clusters: what it does in east is said on the hub, what it does in west is said
                       in west, and a cable is pulled while both sides are edited
  --download           download the Kubernetes programs (about 400 MB, checked against tools/downloads.json) instead of
                       building them with Go; FAIRLEAD_DOWNLOAD_FROM names a server of yours that has the files
  --help               this text
`;

/** Throws a TypeError that names the option, as parseArgs does. */
export function parseDemoOptions(args: readonly string[]): DemoOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      once: { type: "boolean", default: false },
      exec: { type: "string" },
      kubeconfig: { type: "string" },
      download: { type: "boolean", default: false },
      hubs: { type: "string" },
      commands: { type: "boolean", default: false },
      doctor: { type: "boolean", default: false },
      argocd: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  if (values.once && values.exec !== undefined) throw new TypeError("--once and --exec exclude each other");
  if (values.hubs !== undefined && values.kubeconfig !== undefined)
    throw new TypeError("--hubs and --kubeconfig exclude each other");
  const { kubeconfig: ownKubeconfig, download, once, exec } = values;
  const chosen = shows.filter((show) => values[show]);
  const [show = "links"] = chosen;
  if (chosen.length > 1) throw new TypeError(`${chosen.map((name) => `--${name}`).join(" and ")} exclude each other`);
  if (show !== "links" && (ownKubeconfig !== undefined || values.hubs !== undefined || download))
    throw new TypeError(`--${show} excludes --hubs, --kubeconfig and --download`);
  return { ownKubeconfig, download, hubs: readHubs(values.hubs), show, afterwards: chooseEnd(once, exec) };
}

/** Three at least: one that has a link to each of the two clusters, and one that has none. */
function readHubs(given: string | undefined): number {
  if (given === undefined) return 1;
  if (!/^[3-5]$/.test(given)) throw new TypeError(`--hubs takes 3 to 5, not '${given}'`);
  return Number(given);
}

function chooseEnd(once: boolean, command: string | undefined): DemoOptions["afterwards"] {
  if (command !== undefined) return { kind: "exec", command };
  return { kind: once ? "stop" : "stay" };
}
