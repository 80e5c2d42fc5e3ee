/** True when `left` is of an earlier state than `right`; never when one of them isn't a number. */
export function isOlder(left: string, right: string): boolean {
  return isNumber.test(left) && isNumber.test(right) && BigInt(left) < BigInt(right);
}

const isNumber = /^\d{1,20}$/;
