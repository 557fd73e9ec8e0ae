import { Link } from '../routing/Link.tsx'
import { Page } from './Page.tsx'

export function Welcome({ organizationName }: { organizationName: string }) {
  return (
    <Page heading={`Welcome to ${organizationName}`} lead="You have joined, and you are signed in.">
      <Link to="/account" className="button button-main">
        Go to your account
      </Link>
    </Page>
  )
}
