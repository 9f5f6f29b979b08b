/**
 * Cycles of a graph, one for each strongly connected component with more than one node: the shortest way from its first
 * node back to itself, such as `a.ts → b.ts → a.ts`.
 */
export function cyclesOf(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  return components(graph)
    .filter((component) => component.length > 1)
    .map((component) => shortestCycle(component.sort()[0]!, new Set(component), graph).join(' → '))
    .sort();
}

/** Strongly connected components, by Tarjan's algorithm. */
function components(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const indices = new Map<string, number>();
  const low = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const found: string[][] = [];
  const visit = (node: string): void => {
    indices.set(node, indices.size);
    low.set(node, indices.get(node)!);
    path.push(node);
    onPath.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!indices.has(next)) visit(next);
      if (onPath.has(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== indices.get(node)) return;
    const component = path.splice(path.indexOf(node));
    for (const member of component) onPath.delete(member);
    found.push(component);
  };
  for (const node of graph.keys()) if (!indices.has(node)) visit(node);
  return found;
}

/** Breadth first from `start` back to it, within one component. */
function shortestCycle(
  start: string,
  within: ReadonlySet<string>,
  graph: ReadonlyMap<string, Iterable<string>>,
): string[] {
  const previous = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return [...wayTo(node, previous), start];
      if (!within.has(next) || previous.has(next)) continue;
      previous.set(next, node);
      queue.push(next);
    }
  }
  return [start];
}

function wayTo(node: string, previous: ReadonlyMap<string, string>): string[] {
  const before = previous.get(node);
  return before === undefined ? [node] : [...wayTo(before, previous), node];
}
