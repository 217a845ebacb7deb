/** Returns records whose names are counted as they are read. */
export function countedNames<T extends object, K extends keyof T>(records: readonly T[], key: K) {
  let reads = 0;
  const counted = records.map((record) => {
    const { [key]: name } = record;
    return Object.defineProperty({ ...record }, key, {
      enumerable: true,
      get: () => {
        reads += 1;
        return name;
      },
    });
  });
  return { records: counted, reads: () => reads };
}
