/** Options that count how often they are read, so that work is bounded by their number and not by its square. */
export function countedOptions(count: number) {
  const reads = { count: 0 };
  const read = (text: string) => {
    reads.count += 1;
    return text;
  };
  const option = (n: number) => ({
    get id() {
      return read(`o${n}`);
    },
    get label() {
      return read(`Label ${n}`);
    },
  });
  return { reads, options: Array.from({ length: count }, (_, n) => option(n)) };
}
