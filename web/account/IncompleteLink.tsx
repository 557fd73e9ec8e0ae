import { Link } from 'wouter'
import { Page } from '../shared/components/Page.tsx'

/** For a page that only a letter's link opens, opened without it. */
export function IncompleteLink({ heading }: { heading: string }) {
  return (
    <Page
      heading={heading}
      lead="This page opens from the link in our letter. Please open that link once more; if you copied it, make sure that it is whole."
    >
      <Link href="/account" className="button button-main">
        Go to your account
      </Link>
    </Page>
  )
}
