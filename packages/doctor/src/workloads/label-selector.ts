import type { Fields } from "@fairlead/kernel";

/** A selector of Kubernetes: `matchLabels` and `matchExpressions`, all of which must hold. An empty one takes everything. */
export function selectsLabels(selector: Fields, labels: Fields): boolean {
  const areEqual = selector
    .at("matchLabels")
    .entries()
    .every(([key, value]) => labels.at(key).raw === value.raw);
  return (
    areEqual &&
    selector
      .at("matchExpressions")
      .list()
      .every((expression) => holds(expression, labels))
  );
}

function holds(expression: Fields, labels: Fields): boolean {
  const label = labels.at(expression.at("key").text() ?? "");
  const isAmong = expression
    .at("values")
    .list()
    .some((value) => value.raw === label.raw);
  const operator = expression.at("operator").text();
  if (operator === "In") return label.exists && isAmong;
  if (operator === "NotIn") return !label.exists || !isAmong;
  if (operator === "Exists") return label.exists;
  return operator === "DoesNotExist" && !label.exists;
}
