import { AccountLink } from '../shared/components/AccountLink.tsx'
import { Page } from '../shared/components/Page.tsx'
import { refusalOf } from './refusal-text.ts'

/** Replaces a page that the server refused. It shows and links no part of the address, which a stranger may have written. */
export function Refused({ code }: { code: string }) {
  const { heading, explanation, isTemporary } = refusalOf(code)
  return (
    <Page heading={heading} lead={explanation}>
      {isTemporary ? (
        <button type="button" className="button button-main" onClick={() => location.reload()}>
          Try again
        </button>
      ) : (
        <AccountLink />
      )}
    </Page>
  )
}
