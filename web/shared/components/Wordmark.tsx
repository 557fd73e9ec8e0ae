import { Link } from 'wouter'
import mark from './mark.svg'

export function Wordmark() {
  return (
    <Link href="/account" className="wordmark">
      <img src={mark} alt="" width="28" height="28" />
      <span>Accounts</span>
    </Link>
  )
}
