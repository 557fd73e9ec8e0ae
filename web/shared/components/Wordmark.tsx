import { Link } from '../routing/Link.tsx'
import mark from './mark.svg'

export function Wordmark() {
  return (
    <Link to="/account" className="wordmark">
      <img src={mark} alt="" width="28" height="28" />
      <span>Accounts</span>
    </Link>
  )
}
