import { Link } from 'wouter'
import { brandName } from '../brand.ts'

export function Wordmark() {
  return (
    <Link href="/account" className="wordmark">
      <img src="/brand/mark" alt="" width="28" height="28" />
      <span>{brandName}</span>
    </Link>
  )
}
