/** A style delays this text, because it would flash with each fast response. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading…
    </div>
  )
}
