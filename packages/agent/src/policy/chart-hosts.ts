// Which hosts programs of Helm reach where the policy lists places of charts. A repository's index, its redirects and a
// registry's answers name hosts of their own choice. Pure.
import { hostOfAddress } from "./address-pattern.ts";
import type { Policy } from "./schema.ts";

/** Host patterns; undefined where charts may come from every host. A pattern for every host in another list adds none. */
export function chartHosts({ execute }: Policy): readonly string[] | undefined {
  const places = execute?.charts?.repositories.allow;
  if (places === undefined || places.some(isForEveryHost)) return undefined;
  return [
    ...places.flatMap((place) => hostOfAddress(place) ?? []),
    ...[...(execute?.git?.hosts.allow ?? []), ...(execute?.network?.hosts.allow ?? [])].filter(namesHosts),
  ];
}

/** As `*` and `https://*` are: an address without a name in it. */
function isForEveryHost(place: string): boolean {
  return place === "*" || (place.includes("://") && hostOfAddress(place) === undefined);
}

function namesHosts(pattern: string): boolean {
  return !/^[*.]*(?::.*)?$/.test(pattern);
}
