/** Connections that are tunnels through a proxy. Loaded where there is one. */
import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

type OnSocket = (error: Error | null, socket: Duplex) => void;

/** Opens a tunnel to the host of the options. The proxy sees its name, and none of the requests. */
function openTunnel(proxy: URL, { host, port }: ClientRequestArgs, onTunnel: OnSocket): void {
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const target = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  const headers = { host: target, ...(user !== ':' && { 'proxy-authorization': authorization }) };
  const connect = request(new URL(proxy.origin), { method: 'CONNECT', path: target, headers, agent: false });
  const fail = (error: Error) => onTunnel(error, connect as never);
  connect.on('connect', ({ statusCode }, socket) => {
    if (statusCode === 200) return onTunnel(null, socket);
    socket.destroy();
    fail(new Error(`the proxy ${proxy.host} refused the connection (${statusCode})`));
  });
  connect.on('response', (response) => {
    response.destroy();
    fail(new Error(`the proxy ${proxy.host} refused the connection (${response.statusCode})`));
  });
  connect.on('error', fail);
  connect.end();
}

export class HttpTunnels extends HttpAgent {
  constructor(
    private readonly proxy: URL,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(options: ClientRequestArgs, onSocket: OnSocket = () => {}): undefined {
    openTunnel(this.proxy, options, onSocket);
  }
}

export class HttpsTunnels extends HttpsAgent {
  constructor(
    private readonly proxy: URL,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(options: RequestOptions, onSocket: OnSocket = () => {}): undefined {
    openTunnel(this.proxy, options, (error, tunnel) => {
      if (error) return onSocket(error, tunnel);
      const socket = super.createConnection({ ...options, socket: tunnel } as RequestOptions);
      if (socket) onSocket(null, socket);
    });
  }
}
