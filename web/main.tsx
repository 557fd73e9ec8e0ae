import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Application, preloadPage } from './Application.tsx'
import { explainBlockedStorage, isStorageBlocked } from './blocked-storage.ts'
import { ChunkFailed } from './shared/api/load-chunk.ts'
import { isTwoStepRequired } from './shared/api/queries.ts'

// The page explains a failed chunk and missing two-step verification. Any other error is a fault of the pages, so the
// console shows it.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ChunkFailed) && !isTwoStepRequired(error)) reportError(error)
}

if (isStorageBlocked()) explainBlockedStorage()
else renderPage()

function renderPage(): void {
  const root = createRoot(document.getElementById('root')!, { onCaughtError })
  // Code that can't be loaded now is loaded again by its component, which explains a second failure. A top-level await
  // would wait for ever if that code imported this file.
  void preloadPage(location.pathname)
    .catch(() => {})
    .then(() =>
      root.render(
        <StrictMode>
          <Application />
        </StrictMode>,
      ),
    )
}
