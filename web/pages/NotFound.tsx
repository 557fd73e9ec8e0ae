import { Page } from '../components/Page.tsx'
import { Link } from '../routing/Link.tsx'

export function NotFound() {
  return (
    <Page heading="There is no such page" lead="The address may be mistyped, or the page may have moved.">
      <Link to="/account" className="button button-main">
        Go to your account
      </Link>
    </Page>
  )
}
