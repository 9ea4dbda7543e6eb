/** Spec: the legacy pagination object. */
export function paginate(
  { limit, offset }: { limit: number; offset: number },
  returned_count: number,
  totalCount: number,
) {
  const hasNextPage = offset + returned_count < totalCount;
  return { limit, offset, returned_count, totalCount, hasNextPage, hasPreviousPage: offset > 0 };
}
