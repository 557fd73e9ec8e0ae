export function Skeleton({ lines }: { lines: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading…</span>
      {skeletonKeys(lines).map((key) => (
        <span key={key} className="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  )
}

export function skeletonKeys(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `skeleton ${at}`)
}
