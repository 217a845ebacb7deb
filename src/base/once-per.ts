/**
 * Returns `make`, which is called once for each object: what it returns is kept as long as the
 * object is. The object must not change afterwards.
 */
export function oncePer<K extends object, V extends NonNullable<unknown>>(
  make: (key: K) => V,
): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
