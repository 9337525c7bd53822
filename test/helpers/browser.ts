/** Headless Chromium for pages that comem writes. */
import { type Browser, chromium, type Page } from 'playwright-core';

const path = '/usr/bin/chromium';
const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];

export function openBrowser(): Promise<Browser> {
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-sync', ...quiet];
  return chromium.launch({ executablePath: path, args });
}

export interface Opened {
  page: Page;
  /** Messages of the console, errors of scripts, and requests for anything but the file itself. */
  complaints: string[];
}

export async function openFile(browser: Browser, file: string, width: number, height = 800): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== `file://${file}` && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  await page.goto(`file://${file}`);
  return { page, complaints };
}

/** The rows of a table's cells as the CSV has them, header first. */
export async function tableValues(page: Page, selector: string): Promise<string[][]> {
  // As text, because the browser's own types are in no other file of the project.
  const script = `(() => {
    const holder = document.querySelector(${JSON.stringify(selector)});
    const of = (row, attribute) => [...row.children].map((cell) => cell.getAttribute(attribute));
    const head = [...holder.querySelectorAll('thead tr')].map((row) => of(row, 'data-key'));
    return [...head, ...[...holder.querySelectorAll('tbody tr')].map((row) => of(row, 'data-value'))];
  })()`;
  return (await page.evaluate(script)) as string[][];
}
