import type { Meter, Sample } from "@fairlead/kernel";

export type AgentMeter = Meter;

/** A series for each member, whose name is the label's value. */
export function byLabel(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);
}
