import { AccountLink } from '../shared/components/AccountLink.tsx'
import { Page } from '../shared/components/Page.tsx'

/** Replaces a page of an emailed link that was opened without the secret. */
export function IncompleteLink({ heading }: { heading: string }) {
  return (
    <Page
      heading={heading}
      lead="This page opens from the link in our email. If you have used that link already, you are done. Otherwise open it again, and make sure that it is complete."
    >
      <AccountLink />
    </Page>
  )
}
