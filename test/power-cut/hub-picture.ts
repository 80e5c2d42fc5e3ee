// A hub's content, read once and only where somebody asks.
import type {
  AccessBindingList,
  AccessRoleList,
  AuditList,
  ClusterDetail,
  ClusterList,
  RobotList,
  SessionList,
} from "@fairlead/contract";
import { requestHub } from "../fleet/request-hub.ts";
import type { HubAddress } from "./hub-address.ts";

export class HubPicture {
  readonly hub: HubAddress;
  readonly #answers: Map<string, Promise<unknown>> = new Map();
  #records: Promise<ReadonlySet<string>> | undefined;

  constructor(hub: HubAddress) {
    this.hub = hub;
  }

  async hasRobot(name: string): Promise<boolean> {
    return (await this.#read<RobotList>("/api/v1/robots")).items.some((robot) => robot.name === name);
  }

  async hasRobotToken(id: string): Promise<boolean> {
    const { items } = await this.#read<RobotList>("/api/v1/robots");
    return items.some(({ tokens }) => tokens.some((token) => token.id === id));
  }

  async hasBinding(id: string): Promise<boolean> {
    return (await this.#read<AccessBindingList>("/api/v1/bindings")).items.some((binding) => binding.id === id);
  }

  async hasRole(name: string): Promise<boolean> {
    return (await this.#read<AccessRoleList>("/api/v1/roles")).items.some((role) => role.name === name);
  }

  async hasSession(id: string): Promise<boolean> {
    return (await this.#read<SessionList>("/api/v1/sessions")).items.some((session) => session.id === id);
  }

  async hasCluster(name: string): Promise<boolean> {
    return (await this.#read<ClusterList>("/api/v1/clusters")).items.some((cluster) => cluster.name === name);
  }

  readCluster(name: string): Promise<ClusterDetail> {
    return this.#read<ClusterDetail>(`/api/v1/clusters/${name}`);
  }

  async hasRecord(requestId: string): Promise<boolean> {
    this.#records ??= this.#readRecords();
    return (await this.#records).has(requestId);
  }

  async #readRecords(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: AuditList = await this.#read(`/api/v1/audit?limit=1000${cursor === "" ? "" : `&cursor=${cursor}`}`);
      for (const { requestId } of page.items) if (requestId !== undefined) found.add(requestId);
      cursor = page.next;
    }
    return found;
  }

  async #read<T>(path: string): Promise<T> {
    const answer = this.#answers.get(path) ?? this.#ask(path);
    this.#answers.set(path, answer);
    return (await answer) as T;
  }

  async #ask(path: string): Promise<unknown> {
    const answer = await requestHub(this.hub, path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json();
  }
}
