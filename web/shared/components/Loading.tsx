/** A style delays it, because a flash on each fast response disturbs. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading…
    </div>
  )
}
