import { Page } from '../components/Page.tsx'

export function OpenedInApp({ name }: { name: string }) {
  return (
    <Page
      heading={`Go on in ${name}`}
      lead="You can close this page. If the app didn’t open by itself, switch to it."
    />
  )
}
