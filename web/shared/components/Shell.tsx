import { brandName } from '../brand.ts'

/** Stands in for a page that is loading. The document starts with the same markup. */
export function Shell() {
  return (
    <div className="page shell">
      <header>
        <span className="wordmark">
          <img src="/brand/mark" alt="" width="28" height="28" />
          <span>{brandName}</span>
        </span>
      </header>
      <div className="card" />
    </div>
  )
}
