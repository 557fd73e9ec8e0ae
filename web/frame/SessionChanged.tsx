import { Page } from '../shared/components/Page.tsx'

/** Replaces a page that was drawn for another user. */
export function SessionChanged({ name }: { name: string }) {
  return (
    <Page
      heading={`You are now signed in as ${name}`}
      lead="This page belonged to the account before, so nothing more is sent from it."
    >
      <button type="button" className="button button-main" onClick={() => location.reload()}>
        Reload this page
      </button>
    </Page>
  )
}
