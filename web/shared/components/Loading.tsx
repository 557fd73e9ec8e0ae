/** Stays unseen for a moment, so that a quick answer never flickers. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading…
    </div>
  )
}
